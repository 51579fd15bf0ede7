import { describe, expect, it } from 'vitest'
import { attentionKinds } from '../../src/domain/attention.ts'
import { commandFor } from '../../src/domain/attention-command.ts'
import { commands } from '../../src/cli/commands.ts'

const item = { taskId: 7, worktree: 'auth', agentId: 'backend-1', requestId: 3, personaId: 'tester' }

describe('the command that answers what waits for a person', () => {
  const paths = commands.map(({ path }) => path.split(' '))
  for (const kind of attentionKinds) {
    it(`of kind ${kind} is one that exists`, () => {
      const words = commandFor({ ...item, kind })
        .split(' ')
        .slice(1)
      expect(
        paths.some((path) => path.every((word, at) => words[at] === word)),
        words.join(' '),
      ).toBe(true)
    })
  }

  it('names the session where no task is over its budget', () => {
    expect(commandFor({ ...item, kind: 'budget', taskId: null })).toMatch(/^aiswarm session budget --again/)
    expect(commandFor({ ...item, kind: 'budget' })).toMatch(/^aiswarm task budget 7 --again/)
  })
})
