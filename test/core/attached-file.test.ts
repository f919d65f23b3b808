import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/json.js'
import { fileNote, isAttachedFile, type AttachedFile } from '../../src/core/attached-file.js'

const mediaType = 'image/png'

it.each<[AttachedFile, string]>([
  [{ mediaType, data: 'AAAA' }, '[file: image/png, 3 bytes]'],
  [{ mediaType, data: 'AA==', name: 'a "b".png' }, '[file "a \\"b\\".png": image/png, 1 bytes]'],
  [{ mediaType, url: 'https://files.test/a' }, '[file: image/png, https://files.test/a]'],
  [{ mediaType, id: 'file_1', provider: 'openai' }, '[file: image/png, file_1 of openai]'],
])('fileNote() says what %o is', (file, note) => {
  expect(fileNote(file)).toBe(note)
})

describe('isAttachedFile()', () => {
  it.each<Json>([
    { mediaType, data: 'AAAA' },
    { mediaType, name: 'a', url: 'http://files.test' },
    { mediaType, id: 'file_1', provider: 'anthropic' },
  ])('takes %o', (file) => {
    expect(isAttachedFile(file)).toBe(true)
  })

  it.each<Json>([
    null,
    { mediaType },
    { mediaType: 'png', data: 'AAAA' },
    { mediaType, data: 'a b' },
    { mediaType, data: 'AAAA', url: 'https://files.test' },
    { mediaType, url: 'file:///etc/passwd' },
    { mediaType, name: 1, data: 'AAAA' },
    { mediaType, id: 'file_1' },
    { mediaType, id: ' ', provider: 'anthropic' },
    { mediaType, id: 'file_1', provider: 'anthropic', data: 'AAAA' },
  ])('refuses %o', (file) => {
    expect(isAttachedFile(file)).toBe(false)
  })
})
