import { describe, expect, it } from 'vitest'
import { maskArguments } from '../../src/domain/secrets.ts'

describe('a command line', () => {
  it('keeps what is no secret', () => {
    const words = ['claude', '-p', 'Fix the keyboard', '--model', 'opus', '--max-turns=3', 'A=b']
    expect(maskArguments(words)).toEqual(words)
  })

  it('loses what follows an option that sounds secret, or is given to such a name', () => {
    expect(maskArguments(['x', '--api-key', 'plain-word', '--auth-token=abc', 'DB_PASSWORD=hunter2', '--token', '--verbose'])).toEqual([
      'x',
      '--api-key',
      '••••••',
      '--auth-token=••••••',
      'DB_PASSWORD=••••••',
      '--token',
      '--verbose',
    ])
  })

  it('loses values that are known to be secret and what has the shape of a key, wherever they stand', () => {
    expect(maskArguments(['curl', '-H', 'Authorization: Bearer abcdefghijklmnop1234', 'say correct-horse-battery'], ['correct-horse-battery'])).toEqual([
      'curl',
      '-H',
      'Authorization: Bearer ••••••',
      'say ••••••',
    ])
  })
})
