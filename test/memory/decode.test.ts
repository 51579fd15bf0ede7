import { describe, expect, it } from 'vitest'
import { decodeText, LARGEST_FILE } from '../../src/memory/decode.ts'
import { problem } from './problem.ts'

const bytes = (...parts: readonly (string | number)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))))

describe('the decoded text of a file', () => {
  it('has no byte order mark', () => expect(decodeText(bytes(0xef, 0xbb, 0xbf, '# a'), 'f')).toBe('# a'))
  it('has lines that end with LF', () => expect(decodeText(bytes('a\r\nb\rc\n\rd'), 'f')).toBe('a\nb\nc\n\nd'))
  it('is otherwise unchanged', () =>
    expect(decodeText(bytes('<script> ünïcode 認証 \u202e \ufffd\n'), 'f')).toBe(
      '<script> ünïcode 認証 \u202e \ufffd\n',
    ))
})

describe('a file is refused, with its line, for', () => {
  it('a byte that is not UTF-8', () =>
    expect(problem(() => decodeText(bytes('a\n\ufffdb\nc', 0xff, '\nd'), 'f.md'))).toBe(
      'f.md:3: there is a byte that is not UTF-8; write the file as UTF-8.',
    ))
  it('an incomplete character at its end', () =>
    expect(problem(() => decodeText(bytes('a\n', 0xe2, 0x82), 'f.md'))).toMatch(/^f\.md:2: /))
  it('NUL', () =>
    expect(problem(() => decodeText(bytes('a\r\nb\0'), 'f.md'))).toBe(
      'f.md:2: there is a NUL character, so this is not text.',
    ))
  it('more than 1 MiB', () => {
    expect(decodeText(new Uint8Array(LARGEST_FILE).fill(97), 'f')).toHaveLength(LARGEST_FILE)
    expect(problem(() => decodeText(new Uint8Array(LARGEST_FILE + 1).fill(97), 'f.md'))).toBe(
      'f.md:1: the file has 1048577 bytes, and at most 1048576 are read; shorten it.',
    )
  })
})
