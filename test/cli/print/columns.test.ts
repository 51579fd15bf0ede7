import { describe, expect, it } from 'vitest'
import { folded } from '../../../src/cli/print/columns.ts'

describe('a text in a terminal', () => {
  const text = 'Inbox\n  unstartable  task 1 cannot start: no agent kind is configured'

  it('is broken between words, and the rest of a line is indented', () => {
    expect(folded(text, 30)).toBe('Inbox\n  unstartable  task 1 cannot\n    start: no agent kind is\n    configured')
  })

  it('keeps lines that fit, words that do not, and everything without a terminal', () => {
    expect(folded(text, 200)).toBe(text)
    expect(folded(text, undefined)).toBe(text)
    expect(folded('  a-word-that-does-not-fit here', 10)).toBe('  a-word-that-does-not-fit\n    here')
  })

  it('is measured in columns of the terminal', () => {
    expect(folded('日本語 日本語', 8)).toBe('日本語\n  日本語')
  })
})
