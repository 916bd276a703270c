/* SPDX-License-Identifier: Apache-2.0 */
/* The models and test vectors, byte for byte, where the linker keeps constants: in flash. */
/* Made by tinykit 0.1.0. The hashes tell a build cache when the bytes have changed. */

/* 17672 bytes, sha256 88cd8618d845b2c179046393995ebe09255ba4e3ca431acf225defd23f120b91 */
    .section .rodata.tk_data_digits_int8, "a"
    .balign 16
    .global tk_data_digits_int8
tk_data_digits_int8:
    .incbin "models/digits_int8.tflite"
    .balign 4

/* 3 bytes, sha256 039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81 */
    .section .rodata.tk_input_digits_int8_0, "a"
    .balign 16
    .global tk_input_digits_int8_0
tk_input_digits_int8_0:
    .incbin "models/digits_int8.0.input.bin"
    .balign 4

/* 1 bytes, sha256 e52d9c508c502347344d8c07ad91cbd6068afc75ff6292f062a09ca381c89e71 */
    .section .rodata.tk_output_digits_int8_0, "a"
    .balign 16
    .global tk_output_digits_int8_0
tk_output_digits_int8_0:
    .incbin "models/digits_int8.0.output.bin"
    .balign 4

#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
