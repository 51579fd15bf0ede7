import { describe, expect, it } from 'vitest'
import { commands } from '../../../src/cli/commands/index.ts'
import { commandFor } from '../../../src/domain/request/inbox-items.ts'
import { attentionKinds } from '../../../src/domain/request/inbox.ts'

const item = { taskId: 7, worktree: 'auth', agentId: 'backend-1', requestId: 3, personaId: 'tester' }

describe('the command that answers an inbox item', () => {
  const paths = commands.map(({ path }) => path.split(' '))
  for (const kind of attentionKinds) {
    it(`of the kind ${kind} exists`, () => {
      const words = commandFor({ ...item, kind })
        .split(' ')
        .slice(1)
      expect(
        paths.some((path) => path.every((word, at) => words[at] === word)),
        words.join(' '),
      ).toBe(true)
    })
  }

  it('names the session if no task is over its budget', () => {
    expect(commandFor({ ...item, kind: 'budget', taskId: null })).toMatch(/^aiswarm session budget --again/)
    expect(commandFor({ ...item, kind: 'budget' })).toMatch(/^aiswarm task budget 7 --again/)
  })
})
