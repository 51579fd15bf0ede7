import { requestIntegration } from '../../operations/integration/request-integration.ts'
import { act } from '../../operations/door/perform.ts'
import { undoIntegration } from '../../operations/integration/undo-integration.ts'
import { type Command, does, given, open } from '../call/command.ts'
import { refuseAgent } from '../call/refuse-agent.ts'
import { integrationLine } from '../print/worktree-text.ts'
import { trust } from '../verbs/worktrees/trust.ts'
import { text } from '../call/values.ts'
import { optionalArgument } from '../call/words.ts'

export const integrationCommands: readonly Command[] = [
  does({
    path: 'worktree undo',
    summary: 'Take an integration back, the last one if none is named: a new worktree with its revert, which is approved like any other',
    words: { name: optionalArgument('NAME', 'Worktree whose integration is undone', text) },
    run: async ({ name }, call) => {
      const connection = await open(call)
      refuseAgent(call, connection, 'undo an integration')
      const { name: made } = await act(connection, undoIntegration, given('worktreeName', name))
      const worktree = await act(connection, requestIntegration, { worktreeName: made })
      return { json: worktree, text: integrationLine(worktree) }
    },
    example: 'worktree undo',
  }),
  does({
    path: 'worktree trust',
    summary:
      "Show what has changed in the repository's git configuration, hooks and attributes, or in what aiswarm itself obeys, and accept it; wants a terminal and a typed answer",
    words: {},
    grave: true,
    run: (_, call) => trust(call),
    example: 'worktree trust',
  }),
]
