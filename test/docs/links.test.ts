import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { pages, root } from './code-blocks.js'

/** As a forge makes it of a heading. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => toAnchor(heading))

it('every link in the docs leads somewhere', () => {
  const broken = pages().flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8')
    return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^https?:/.test(link) && !leads(page, text, link))
      .map((link) => `${page}: ${link}`)
  })
  expect(broken).toEqual([])
})

function leads(page: string, text: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const file = join(root, dirname(page), path)
  if (path !== '' && !existsSync(file)) return false
  return anchor === undefined || anchorsOf(path === '' ? text : readFileSync(file, 'utf8')).includes(anchor)
}
