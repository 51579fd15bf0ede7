import { describe, expect, it } from 'vitest'
import { describeFile, fileNameOf } from '../../../src/memory/session-files/file-names.ts'

const live = 'session-20260130-142233'

describe('the name of a session file', () => {
  const names = {
    'orchestrator-session.md': { kind: 'session', session: null },
    [`orchestrator-session-${live}.md`]: { kind: 'session', session: live },
    'task-board.md': { kind: 'board', session: null },
    'progress-backend.md': { kind: 'progress', agent: 'backend', session: null },
    'progress-backend-2.md': { kind: 'progress', agent: 'backend-2', session: null },
    [`progress-backend-${live}.md`]: { kind: 'progress', agent: 'backend', session: live },
    [`result-backend-2-${live}.md`]: { kind: 'result', agent: 'backend-2', session: live },
    [`result-${live}.md`]: { kind: 'result', agent: live, session: null },
  } as const
  for (const [name, file] of Object.entries(names)) {
    it(`may be ${name}`, () => {
      expect(describeFile(name)).toEqual(file)
      expect(fileNameOf(file)).toBe(name)
    })
  }
  const others = [
    'notes.md',
    'progress-.md',
    'progress-a',
    'progress-a.md.tmp',
    'progress-a b.md',
    'result-../x.md',
    'result-a/b.md',
    'Result-a.md',
    'result--a.md',
    `result-${'x'.repeat(51)}.md`,
  ]
  for (const name of others) it(`may not be ${name}`, () => expect(describeFile(name)).toBeUndefined())
})
