/* SPDX-License-Identifier: Apache-2.0 */
/* The models and test vectors, byte for byte, where the linker keeps constants: in flash. */
/* Made by tinykit 0.1.0. The hashes tell a build cache when the bytes have changed. */

/* 55856 bytes, sha256 9011a8155b04de858c48038529235cbc0e42e9fca05a55bf588cb80a653a723b */
    .section .rodata.tk_data_mww_v2_alexa, "a"
    .balign 16
    .global tk_data_mww_v2_alexa
tk_data_mww_v2_alexa:
    .incbin "models/mww_v2_alexa.tflite"
    .balign 4

/* 3 bytes, sha256 039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81 */
    .section .rodata.tk_input_mww_v2_alexa_0, "a"
    .balign 16
    .global tk_input_mww_v2_alexa_0
tk_input_mww_v2_alexa_0:
    .incbin "models/mww_v2_alexa.0.input.bin"
    .balign 4

/* 1 bytes, sha256 e52d9c508c502347344d8c07ad91cbd6068afc75ff6292f062a09ca381c89e71 */
    .section .rodata.tk_output_mww_v2_alexa_0, "a"
    .balign 16
    .global tk_output_mww_v2_alexa_0
tk_output_mww_v2_alexa_0:
    .incbin "models/mww_v2_alexa.0.output.bin"
    .balign 4

#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
