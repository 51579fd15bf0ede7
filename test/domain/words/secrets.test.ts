import { describe, expect, it } from 'vitest'
import { maskArguments } from '../../../src/domain/words/secrets.ts'

describe('a redacted command line', () => {
  it('keeps ordinary words', () => {
    const words = ['claude', '-p', 'Fix the keyboard', '--model', 'opus', '--max-turns=3', 'A=b']
    expect(maskArguments(words)).toEqual(words)
  })

  it('loses the value after an option or a name that sounds secret', () => {
    expect(
      maskArguments([
        'x',
        '--api-key',
        'plain-word',
        '--auth-token=abc',
        'DB_PASSWORD=hunter2',
        '--token',
        '--verbose',
      ]),
    ).toEqual(['x', '--api-key', '••••••', '--auth-token=••••••', 'DB_PASSWORD=••••••', '--token', '--verbose'])
  })

  it('loses known secret values and text with the shape of a key in any position', () => {
    expect(
      maskArguments(
        ['curl', '-H', 'Authorization: Bearer abcdefghijklmnop1234', 'say correct-horse-battery'],
        ['correct-horse-battery'],
      ),
    ).toEqual(['curl', '-H', 'Authorization: Bearer ••••••', 'say ••••••'])
  })
})
