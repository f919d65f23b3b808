import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

const root = join(import.meta.dirname, '..', '..')

/** The blocks of TypeScript in a page, by the line on which each begins. */
function codeBlocks(page: string): { readonly line: number; readonly code: string }[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^```tsx?\n([^]*?)^```$/gm)].map(({ index, 1: code = '' }) => ({
    line: text.slice(0, index).split('\n').length + 1,
    code,
  }))
}

export const pages = (): string[] => [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

/**
 * Compiles each block of the pages as a module of its own, with the names of `fragments.d.ts` beside what it imports.
 * @returns what the compiler says, with the page and line of each
 */
export function compileBlocks(ofPages: readonly string[]): { readonly blocks: number; readonly faults: string[] } {
  const cache = join(root, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  // Below the root, so that packages are found.
  const folder = mkdtempSync(join(cache, 'docs-'))
  try {
    const blocks = ofPages.flatMap((page) => codeBlocks(page).map((block) => ({ page, ...block })))
    for (const [i, { code }] of blocks.entries()) writeFileSync(join(folder, `${i}.ts`), `${code}\nexport {}\n`)
    const config = {
      extends: join(root, 'tsconfig.json'),
      files: [join(import.meta.dirname, 'fragments.d.ts'), ...blocks.map((_, i) => join(folder, `${i}.ts`))],
      include: [],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const faults = compile(folder).flatMap((said) => {
      const [, file, line, what] = /(\d+)\.ts\((\d+),\d+\): (.*)$/.exec(said) ?? []
      const block = blocks[Number(file)]
      return block ? [`${block.page}:${block.line + Number(line) - 1}: ${what}`] : [said]
    })
    return { blocks: blocks.length, faults }
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
