import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import process from 'node:process'

export const root = join(import.meta.dirname, '..', '..')

interface Block {
  readonly page: string
  /** On which its code begins. */
  readonly line: number
  /** What stands after the fence's language: the file that it is an excerpt of. */
  readonly of: string
  readonly code: string
}

/** The blocks of TypeScript in a page. */
export function codeBlocks(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^```ts ?([^\n]*)\n([^]*?)^```$/gm)].map(({ index, 1: of = '', 2: code = '' }) => {
    return { page, line: text.slice(0, index).split('\n').length + 1, of, code }
  })
}

export const pages = (): string[] => [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

/**
 * Compiles each block of the pages as a module of its own, with the names of `fragments.d.ts` beside what it imports; excerpts are none.
 * @returns what the compiler says, with the page and line of each
 */
export function compileBlocks(ofPages: readonly string[]): { readonly blocks: number; readonly faults: string[] } {
  const cache = join(root, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  // Below the root, so that packages are found.
  const folder = mkdtempSync(join(cache, 'docs-'))
  try {
    const blocks = new Map<string, Block>()
    for (const block of ofPages.flatMap(codeBlocks)) {
      if (block.of !== '') continue
      // By the name in its first line, others import it.
      const name = /^\/\/ ([\w.-]+)\.ts$/m.exec(block.code.split('\n')[0]!)?.[1] ?? `line-${block.line}`
      blocks.set(join(basename(block.page), `${name}.ts`), block)
    }
    for (const page of ofPages) mkdirSync(join(folder, basename(page)))
    for (const [file, { code }] of blocks) writeFileSync(join(folder, file), `${code}\nexport {}\n`)
    const files = [...blocks.keys()].map((file) => join(folder, file))
    const config = {
      extends: join(root, 'tsconfig.json'),
      files: [join(import.meta.dirname, 'fragments.d.ts'), ...files],
      include: [],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const faults = compile(folder).flatMap((said) => {
      const [, file = '', line, what] = /([^/]+\/[^/]+\.ts)\((\d+),\d+\): (.*)$/.exec(said) ?? []
      const block = blocks.get(file)
      return block ? [`${block.page}:${block.line + Number(line) - 1}: ${what}`] : [said]
    })
    return { blocks: blocks.size, faults }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function compile(folder: string): string[] {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  try {
    execFileSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { encoding: 'utf8', stdio: 'pipe' })
    return []
  } catch (error) {
    const { stdout } = error as { stdout: string }
    return stdout.split('\n').filter((line) => /error TS/.test(line))
  }
}
