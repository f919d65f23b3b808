import { readFile, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { expect, it } from 'vitest'
import type { Json } from '../../../src/core/json.js'
import type { Tool } from '../../../src/tools/tool.js'
import { ask, inTurn, lastResult, say, World, type TestTool } from '../../runtime/world.js'
import { getOrder, requestReturn } from './return-tools.js'

/** Set to write the file anew. */
const isRecording = process.env.HANDRAIL_RECORD === '1'
const file = new URL('./returns.jsonl', import.meta.url)

it('the file of the example is what an export is', async () => {
  const world = new World({
    tools: { get_order: fromTool(getOrder as Tool), request_return: fromTool(requestReturn as Tool) },
    model: inTurn(ask(['get_order', { id: 'O-314' }]), ask(['request_return', { id: 'O-314' }]), (request) =>
      say(`I have requested the return: ${lastResult(request).match(/AS-O-\d+/)?.[0]}`),
    ),
  })
  const agent = await world.agent()
  agent.onEvent = (event) => {
    if (event.type !== 'tool-decision' || event.verdict !== 'ask') return
    const { callId, hash } = event
    void agent.api.command('s', { type: 'approve', runId: 'r1', callId, hash })
  }
  await agent.run('Send my boots back, order O-314')
  await agent.end()
  const exported = await agent.ok(agent.api.exportRun('r1'))
  if (isRecording) await writeFile(file, exported)
  expect(shapeOf(exported)).toEqual(shapeOf(await readFile(file, 'utf8')))
})

const fromTool = (tool: Tool): TestTool => ({
  ...tool.definition,
  run: (input, call) => tool.run(input, { ...call, signal: new AbortController().signal } as never) as Json,
})

/** Types and fields of its lines: what is in them depends on the version. */
const shapeOf = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const value = JSON.parse(line) as Record<string, unknown>
      return [value.type, Object.keys(value).toSorted()]
    })
