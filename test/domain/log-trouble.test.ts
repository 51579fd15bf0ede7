import { expect, it } from 'vitest'
import { soundsLikeTrouble } from '../../src/domain/log-trouble.ts'

it.each(['Error: no such file', 'npm ERR! code 1', 'thread main panicked at x.rs', '✗ rejects an expired token', '3 failed, 0 errors', 'Traceback (most recent call last):'])(
  '%s',
  (line) => expect(soundsLikeTrouble(line)).toBe(true),
)

it.each(['0 errors, 0 failed', 'compiled without errors', 'Tests passed: 12, failures: 0', 'the terror of it', 'all is well', ''])('no trouble: %s', (line) =>
  expect(soundsLikeTrouble(line)).toBe(false),
)
