import type { GateCase } from './gate-case.js'
import { approvalCases } from './gate-cases-approval.js'
import { executionCases } from './gate-cases-execution.js'
import { guardrailCases } from './gate-cases-guardrails.js'
import { inputCases } from './gate-cases-input.js'
import { trustCases } from './gate-cases-trust.js'

/** What the gate promises, as a table: each case goes through every path. */
export const gateCases: readonly GateCase[] = [
  ...inputCases,
  ...approvalCases,
  ...guardrailCases,
  ...executionCases,
  ...trustCases,
]
