// SPDX-License-Identifier: Apache-2.0
/*
 * The few core registers that tinykit touches, without CMSIS headers: those come in one version per
 * vendor and would have to be named for each device.
 * Source: Armv7-M and Armv8-M Architecture Reference Manuals, system address map.
 */
#ifndef TINYKIT_PORTS_CORTEX_M_REGISTERS_H_
#define TINYKIT_PORTS_CORTEX_M_REGISTERS_H_

#include <stdint.h>

#define TK_REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

#define TK_DWT_CTRL TK_REGISTER(0xE0001000u)
#define TK_DWT_CYCCNT TK_REGISTER(0xE0001004u)
#define TK_DWT_LAR TK_REGISTER(0xE0001FB0u)

#define TK_SYST_CSR TK_REGISTER(0xE000E010u)
#define TK_SYST_RVR TK_REGISTER(0xE000E014u)
#define TK_SYST_CVR TK_REGISTER(0xE000E018u)

#define TK_NVIC_ISER(n) TK_REGISTER(0xE000E100u + 4u * (n))

#define TK_SCB_ICSR TK_REGISTER(0xE000ED04u)
#define TK_SCB_CFSR TK_REGISTER(0xE000ED28u)
#define TK_SCB_HFSR TK_REGISTER(0xE000ED2Cu)
#define TK_SCB_BFAR TK_REGISTER(0xE000ED38u)
#define TK_SCB_CPACR TK_REGISTER(0xE000ED88u)
#define TK_DEMCR TK_REGISTER(0xE000EDFCu)
#define TK_FPU_FPCCR TK_REGISTER(0xE000EF34u)

#endif  // TINYKIT_PORTS_CORTEX_M_REGISTERS_H_
