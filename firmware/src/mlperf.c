// SPDX-License-Identifier: Apache-2.0
/*
 * The commands of MLPerf Tiny and their answers, to the letter: the public runners match them.
 * Source: mlcommons/tiny, benchmark/api/internally_implemented.{h,cpp}.
 */
#include <string.h>

#include "command.h"
#include "infer.h"
#include "state.h"
#include "tensors.h"
#include "tinykit/text.h"

enum { DEFAULT_ITERATIONS = 1, DEFAULT_WARMUPS = 10, BYTES_PER_LINE = 8 };

static const char kProfile[] = "ULPMark for tinyML Firmware V0.0.1";

static void answer_name(const tk_words_t *words) {
  (void)words;
  tk_put("m-name-dut-[");
  tk_put_foreign(tk_image.vendor, 80);
  tk_put_line("]");
}

static void answer_timestamp(const tk_words_t *words) {
  (void)words;
  tk_timestamp();
}

static void answer_profile(const tk_words_t *words) {
  (void)words;
  tk_put("m-profile-[");
  tk_put(kProfile);
  tk_put_line("]");
  tk_put("m-model-[");
  tk_put_foreign(tk_chosen_model()->names.model, 80);
  tk_put_line("]");
}

static void answer_help(const tk_words_t *words) {
  (void)words;
  tk_put_line(kProfile);
  tk_put_line("");
  tk_put_line("help         : Print this information");
  tk_put_line("name         : Print the name of the device");
  tk_put_line("timestamp    : Generate a timestamp");
  tk_put_line("profile      : Print the profile and the model");
  tk_put_line("db SUBCMD    : Manipulate the input buffer");
  tk_put_line("  load N     : Expect N bytes");
  tk_put_line("  HH[HH]*    : Load bytes until N have come");
  tk_put_line("  print      : Print the buffer as hex");
  tk_put_line("infer N W    : Load the input, run W warm-ups [10], then N inferences [1]");
  tk_put_line("results      : Print the outputs as real numbers");
  tk_put_line("tk-info      : Print what this image is");
  tk_put_line("tk-cycles    : Print the cycles of the last infer");
  tk_put_line("tk-ops       : Run once and print the cycles of each operator");
  tk_put_line("tk-output    : Print the outputs as stored bytes");
  tk_put_line("tk-golden    : Run the stored inputs and compare with the stored outputs");
  tk_put_line("tk-stack     : Print the stack and its high-water mark");
  tk_put_line("tk-select K  : Work on model K from now on");
}

static void answer_load(const tk_words_t *words) {
  uint32_t size_bytes = 0;
  if (words->count < 3) {
    tk_put_line("e-[Command 'db load' requires the # of bytes]");
    return;
  }
  if (!tk_parse_unsigned(words->word[2], UINT32_MAX, &size_bytes) || size_bytes == 0) {
    tk_put_line("e-[Command 'db load' must be >0 bytes]");
    return;
  }
  tk_state.loaded_bytes = 0;
  if (size_bytes > tk_image.input_buffer_bytes) {
    tk_state.expect_bytes = 0;
    tk_put("Supplied buffer size ");
    tk_put_unsigned(size_bytes);
    tk_put(" exceeds maximum of ");
    tk_put_unsigned(tk_image.input_buffer_bytes);
    tk_end_line();
    return;
  }
  tk_state.expect_bytes = size_bytes;
  tk_put("m-[Expecting ");
  tk_put_unsigned(size_bytes);
  tk_put_line(" bytes]");
}

static void answer_print(void) {
  for (size_t i = 0; i < tk_state.expect_bytes; i++) {
    tk_put(i % BYTES_PER_LINE == 0 ? "m-buffer-" : "-");
    tk_put_hex(tk_image.input_buffer[i], 2);
    if (i % BYTES_PER_LINE == BYTES_PER_LINE - 1 || i + 1 == tk_state.expect_bytes) {
      tk_end_line();
    }
  }
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  c = (char)(c | 0x20); /* to lower case */
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void answer_bytes(const char *digits) {
  if (tk_state.expect_bytes == 0) {
    tk_put_line("e-[Command 'db load' must come first]");
    return;
  }
  if (strlen(digits) % 2 != 0) {
    tk_put_line("e-[Insufficent number of hex digits]"); /* spelt as in the reference */
    return;
  }
  for (; *digits != '\0' && tk_state.loaded_bytes < tk_state.expect_bytes; digits += 2) {
    const int high = hex_digit(digits[0]);
    const int low = hex_digit(digits[1]);
    if (high < 0 || low < 0) {
      tk_put("e-[Invalid hex digit '");
      tk_put_foreign(digits, 2);
      tk_put_line("']");
      return;
    }
    tk_image.input_buffer[tk_state.loaded_bytes++] = (uint8_t)(high * 16 + low);
  }
  if (tk_state.loaded_bytes == tk_state.expect_bytes) {
    tk_put_line("m-load-done");
  }
}

static void answer_db(const tk_words_t *words) {
  if (words->count < 2) {
    tk_put_line("e-[Command 'db' requires a subcommand]");
  } else if (strcmp(words->word[1], "load") == 0) {
    answer_load(words);
  } else if (strcmp(words->word[1], "print") == 0) {
    answer_print();
  } else {
    answer_bytes(words->word[1]);
  }
}

static void answer_infer(const tk_words_t *words) {
  uint32_t iterations = DEFAULT_ITERATIONS;
  uint32_t warmups = DEFAULT_WARMUPS;
  if (words->count > 1 &&
      (!tk_parse_unsigned(words->word[1], INT32_MAX, &iterations) || iterations == 0)) {
    tk_put_line("e-[Inference iterations must be >0]");
    return;
  }
  if (words->count > 2 && !tk_parse_unsigned(words->word[2], INT32_MAX, &warmups)) {
    tk_put_line("e-[Inference warmup must be >=0]");
    return;
  }
  if (tk_load_inputs()) {
    tk_infer(iterations, warmups);
  }
}

static void answer_results(const tk_words_t *words) {
  (void)words;
  tk_put_results(tk_chosen_model());
}

const tk_command_t tk_mlperf_commands[] = {
    {"name", answer_name},       {"timestamp", answer_timestamp},
    {"profile", answer_profile}, {"help", answer_help},
    {"db", answer_db},           {"infer", answer_infer},
    {"results", answer_results}, {NULL, NULL},
};
