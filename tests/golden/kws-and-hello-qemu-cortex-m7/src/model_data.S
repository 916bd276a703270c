/* SPDX-License-Identifier: Apache-2.0 */
/* The models and test vectors, byte for byte, where the linker keeps constants: in flash. */
/* Made by tinykit 0.1.0. The hashes tell a build cache when the bytes have changed. */

/* 53936 bytes, sha256 aeea436800704fce17b17292e4412630ad856e9d777c044c64ef748a880bd0ae */
    .section .rodata.tk_data_kws_ref_model, "a"
    .balign 16
    .global tk_data_kws_ref_model
tk_data_kws_ref_model:
    .incbin "models/kws_ref_model.tflite"
    .balign 4

/* 3 bytes, sha256 039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81 */
    .section .rodata.tk_input_kws_ref_model_0, "a"
    .balign 16
    .global tk_input_kws_ref_model_0
tk_input_kws_ref_model_0:
    .incbin "models/kws_ref_model.0.input.bin"
    .balign 4

/* 1 bytes, sha256 e52d9c508c502347344d8c07ad91cbd6068afc75ff6292f062a09ca381c89e71 */
    .section .rodata.tk_output_kws_ref_model_0, "a"
    .balign 16
    .global tk_output_kws_ref_model_0
tk_output_kws_ref_model_0:
    .incbin "models/kws_ref_model.0.output.bin"
    .balign 4

/* 2704 bytes, sha256 505ee4fae7fa46ab67bea4c08b4969eb3eb8b9114c50595ec4a29d9a27993202 */
    .section .rodata.tk_data_hello_world_int8, "a"
    .balign 16
    .global tk_data_hello_world_int8
tk_data_hello_world_int8:
    .incbin "models/hello_world_int8.tflite"
    .balign 4

/* 3 bytes, sha256 039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81 */
    .section .rodata.tk_input_hello_world_int8_0, "a"
    .balign 16
    .global tk_input_hello_world_int8_0
tk_input_hello_world_int8_0:
    .incbin "models/hello_world_int8.0.input.bin"
    .balign 4

/* 1 bytes, sha256 e52d9c508c502347344d8c07ad91cbd6068afc75ff6292f062a09ca381c89e71 */
    .section .rodata.tk_output_hello_world_int8_0, "a"
    .balign 16
    .global tk_output_hello_world_int8_0
tk_output_hello_world_int8_0:
    .incbin "models/hello_world_int8.0.output.bin"
    .balign 4

#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
