// SPDX-License-Identifier: Apache-2.0
/* The table of tinykit's own commands. */
#include <stddef.h>

#include "answers.h"

const tk_command_t tk_extra_commands[] = {
    {"tk-info", tk_answer_info},     {"tk-cycles", tk_answer_cycles},
    {"tk-ops", tk_answer_ops},       {"tk-output", tk_answer_output},
    {"tk-golden", tk_answer_golden}, {"tk-stack", tk_answer_stack},
    {"tk-select", tk_answer_select}, {NULL, NULL},
};
