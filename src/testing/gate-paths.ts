import { scriptToolName } from '../core/built-ins.js'
import { defineTool } from '../tools/tool.js'
import type { CaseCall, GatePath, GateSource } from './gate-case.js'

const textOf = ({ input = {}, inputText }: CaseCall): string => inputText ?? JSON.stringify(input)

/** The tool and the input are only known when it runs: nothing can be said of them before. */
const program = (call: CaseCall): string =>
  [
    `const name = ${JSON.stringify(call.tool)}`,
    `const input = JSON.parse(${JSON.stringify(textOf(call))})`,
    'try {',
    '  return { output: await tools[name](input) }',
    '} catch (error) {',
    '  return { code: error.code, message: error.message }',
    '}',
  ].join('\n')

/** The ways that this version has. */
export const gatePaths: readonly GatePath[] = [
  {
    name: 'direct',
    caller: 'model',
    ask: (call) => [{ type: 'call', toolName: call.tool, inputText: textOf(call) }],
  },
  {
    name: 'script',
    caller: 'script',
    ask: (call) => [{ type: 'call', toolName: scriptToolName, inputText: JSON.stringify({ code: program(call) }) }],
  },
  {
    name: 'program',
    caller: 'program',
    ask: (call) => [{ type: 'call', toolName: call.tool, inputText: textOf(call), caller: 'program' }],
  },
]

export const pageTools: GateSource = {
  name: 'page tools',
  provide: (tools) => tools.map((tool) => defineTool(tool)),
}
