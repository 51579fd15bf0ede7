import { expect, it } from 'vitest'
import { readableLine, type Reading } from '../../../src/agents/reading/reading.ts'

it.each<[Reading, string | undefined]>([
  [{ kind: 'text', text: 'I look\nat it.' }, 'I look\nat it.'],
  [{ kind: 'tool', name: 'Bash', about: 'git commit -m x' }, '● Bash git commit -m x'],
  [{ kind: 'tool', name: 'mcp__aiswarm__get_task', about: '' }, '● mcp__aiswarm__get_task'],
  [{ kind: 'denied', name: 'Bash', about: 'rm -rf x' }, '✗ denied Bash rm -rf x'],
  [{ kind: 'denied', name: '', about: '', call: 'c' }, '✗ denied'],
  [{ kind: 'tool_failed', name: 'shell', about: 'npm test' }, '✗ shell npm test'],
  [{ kind: 'tool_failed', name: '', about: '', call: 'c' }, '✗ failed'],
  [{ kind: 'limited', sentence: '429', resetsAt: null }, '! 429'],
  [{ kind: 'unauthorized', sentence: '401' }, '! 401'],
  [{ kind: 'no_server', sentence: 'down' }, '! down'],
  [{ kind: 'no_session', sentence: 'gone' }, '! gone'],
  [{ kind: 'ended', ok: true, sentence: 'all that it said before' }, '■ ended'],
  [{ kind: 'ended', ok: false, sentence: 'max turns' }, '■ ended with an error: max turns'],
  [{ kind: 'note', level: 'info', text: 'hello' }, 'hello'],
  [{ kind: 'note', level: 'warn', text: 'careful' }, '! careful'],
  [{ kind: 'usage', of: 'run', tokensIn: 1, tokensOut: 1, tokensCached: 0, costUsd: null }, undefined],
  [{ kind: 'session', id: 's' }, undefined],
  [{ kind: 'model', name: 'm' }, undefined],
])('%j is printed as %j', (reading, line) => {
  expect(readableLine(reading)).toBe(line)
})
