import { expect, it } from 'vitest'
import { compileBlocks, pages } from './code-blocks.js'

it('every block of TypeScript in the docs compiles', () => {
  const { blocks, faults } = compileBlocks(pages())
  expect(faults).toEqual([])
  expect(blocks).toBeGreaterThan(3)
})
