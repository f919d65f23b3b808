import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createAnthropicModel } from '../../src/models/anthropic/model.js'
import { createChatModel } from '../../src/models/chat/model.js'
import { checkModelConfig } from '../../src/models/check-config.js'
import { loadGeminiModel } from '../../src/models/gemini/model.js'
import { createOpenAIModel } from '../../src/models/openai/model.js'
import { withTables } from './capability-tables.js'
import { codeBlocks, root } from './code-blocks.js'

const page = readFileSync(join(root, 'docs', 'models.md'), 'utf8')
const inFirstColumn = (name: string) => new RegExp(`^\\| \`${name}\`(, \`\\w+\`)* +\\|`, 'm')

it('the tables of docs/models.md are those of the capabilities: npm run tables writes them', () => {
  expect(page).toBe(withTables(page))
})

it('every option of a model has a row in docs/models.md', () => {
  let said = ''
  try {
    checkModelConfig({ provider: 'p', model: 'm', zzzzzzzzzz: 1 } as never)
  } catch (error) {
    said = (error as Error).message
  }
  const options = /there are (.*)$/.exec(said)?.[1]?.split(', ') ?? []
  expect(options).toContain('hostedTools')
  expect(options.filter((option) => !inFirstColumn(option).test(page))).toEqual([])
})

it('every code that a model can give is explained in docs/models.md', () => {
  const files = readdirSync(join(root, 'src', 'models'), { recursive: true, encoding: 'utf8' })
  const sources = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(root, 'src', 'models', file), 'utf8'))
  const codes = sources.flatMap((source) => {
    const thrown = [...source.matchAll(/'((?:model|provider)_[a-z_]+)'/g)]
    const remarks = [...source.matchAll(/\bcode: ([^\n,]+),\s+detail\b/g)].flatMap(([, code = '']) => [
      ...code.matchAll(/(?<!=== )'(\w+)'/g),
    ])
    return [...thrown, ...remarks].map(([, code = '']) => code)
  })
  expect(codes).toContain('setting_ignored')
  expect([...new Set(codes)].filter((code) => !inFirstColumn(code).test(page))).toEqual([])
})

it('the excerpts in docs/models.md are in their files', () => {
  const excerpts = codeBlocks('docs/models.md').filter(({ of }) => of !== '')
  expect(excerpts.length).toBeGreaterThan(5)
  for (const { of, code } of excerpts)
    for (const piece of code.trimEnd().split('\n\n')) expect(readFileSync(join(root, of), 'utf8')).toContain(piece)
})

it.each([
  { provider: 'openai', at: '/api/openai', create: createOpenAIModel },
  { provider: 'openai-compatible', at: '/api/openrouter', create: createChatModel },
  { provider: 'anthropic', at: '/api/anthropic', create: createAnthropicModel },
  { provider: 'gemini', at: '/api/gemini', create: loadGeminiModel },
])('a proxy is asked by $provider for what docs/models.md says', async ({ provider, at, create }) => {
  const asked: string[] = []
  const model = await create({
    provider,
    model: 'MODEL',
    baseURL: `https://page.example${at}`,
    apiKey: 'the-key',
    async fetch(input, init) {
      const { url, method, headers } = new Request(input, init)
      const [key] = [...headers].filter(([, value]) => value.includes('the-key'))
      const added = `${key?.[0]}: ${key?.[1].replace('the-key', '…')}`
      asked.push(`| \`${provider}\` | \`${method} ${url.replace('https://page.example', '')}\` | \`${added}\` |`)
      return new Response('', { status: 400 })
    },
  })
  const request = { instructions: '', tools: [], messages: [{ role: 'user', text: 'Hi' }], cacheKey: 's' } as const
  const options = { signal: new AbortController().signal, onDelta: () => undefined }
  await expect(model.generate(request, options)).rejects.toMatchObject({ code: 'model_bad_request' })
  const rows = page.split('\n').map((line) => line.replaceAll(/ +/g, ' '))
  expect(asked).toHaveLength(1)
  expect(rows.map((line) => line.toLowerCase())).toContain(asked[0]!.toLowerCase())
})
