import { requestIntegration } from '../../operations/integration/request-integration.ts'
import { act } from '../../operations/door/perform.ts'
import { undoIntegration } from '../../operations/integration/undo-integration.ts'
import { type Command, does, given, open } from '../call/command.ts'
import { refuseAgent } from '../call/refuse-agent.ts'
import { integrationLine } from '../print/worktree-text.ts'
import { trust } from '../verbs/worktrees/trust.ts'
import { text } from '../call/values.ts'
import { naming, option, optionalArgument } from '../call/words.ts'

export const integrationCommands: readonly Command[] = [
  does({
    path: 'worktree undo',
    summary: 'Undo an integration: creates a worktree with the revert, for review and approval like any other',
    words: {
      name: naming(
        'worktrees',
        optionalArgument('NAME', 'Worktree whose integration is undone (default: the latest integration)', text),
      ),
    },
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
      "Show changes of the repository's git configuration, hooks and attributes, or of aiswarm's configuration, and accept them; requires a terminal and a typed answer",
    words: { host: option('--host', 'H', 'Host whose clone is meant (default: the one with changes)', text) },
    grave: true,
    run: ({ host }, call) => trust(call, host),
    example: 'worktree trust',
  }),
]
