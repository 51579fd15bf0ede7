import { safeText } from '../../domain/words/safe-text.ts'
import { rejectIntegration, undoIntegration } from '../../operations/integration/decisions.ts'
import { requestIntegration } from '../../operations/integration/request.ts'
import { act } from '../../operations/perform/perform.ts'
import { createWorktreeOn } from '../../operations/worktrees/create.ts'
import { type Command, does, given, open, performs } from '../call/command.ts'
import { refuseAgent } from '../call/confirmation.ts'
import { labels, text } from '../call/values.ts'
import { argument, flag, naming, needed, newName, option, optionalArgument } from '../call/words.ts'
import { integrationLine, radarText, worktreeDetail, worktreeList } from '../print/worktrees.ts'
import { trust } from '../verbs/foreign-changes.ts'
import { approve, showReview } from '../verbs/integrations.ts'
import { measuredWorktrees } from '../verbs/observed-worktrees.ts'
import { discard, move, restore, sweep } from '../verbs/worktrees.ts'

const name = naming('worktrees', argument('NAME', 'Name of the worktree', text))

export const worktreeCommands: readonly Command[] = [
  performs({
    path: 'worktree create',
    words: {
      name: newName('NAME', '1 to 50 letters, digits, - or _', text),
      branch: needed('--branch', 'B', 'Branch to work on; created if missing', text),
      source: option('--source', 'S', 'Branch to fork from (default: the target of the configuration, main)', text),
      host: option('--host', 'H', 'Host to build it on (default: the one with the most room)', text),
      label: option('--label', 'L,L', 'Labels that its host must have, separated by commas', labels),
    },
    operation: createWorktreeOn,
    input: ({ name, branch, source, host, label }) => ({
      name,
      branchName: branch,
      ...given('sourceBranch', source),
      ...given('host', host),
      ...given('labels', label),
    }),
    text: ({ name, branchName, path, warning }) =>
      [`Worktree ${name} is on ${branchName} in ${path}`, ...(warning === null ? [] : [`warning: ${warning}`])]
        .map(safeText)
        .join('\n'),
    example: 'worktree create user-auth --branch feature/user-auth',
  }),
  does({
    path: 'worktree list',
    summary: 'List all worktrees with their state in git',
    words: {},
    run: async (_, call) => {
      const worktrees = await measuredWorktrees(await open(call))
      return { json: worktrees, text: worktreeList(worktrees) }
    },
    example: 'worktree list --json',
  }),
  does({
    path: 'worktree show',
    summary: 'Show one worktree: its branch, its integration, its verification',
    words: { name },
    run: async ({ name }, call) => {
      const worktree = (await measuredWorktrees(await open(call), name))[0]!
      return { json: worktree, text: worktreeDetail(worktree) }
    },
    example: 'worktree show user-auth',
  }),
  does({
    path: 'worktree diff',
    summary: 'Show what an integration of a worktree would merge: totals, risks, claims and findings, the diff',
    words: { name },
    run: ({ name }, call) => showReview(call, name),
    example: 'worktree diff user-auth',
  }),
  does({
    path: 'worktree radar',
    summary:
      'Show conflicts between worktrees and with their targets, including uncommitted work, and the suggested merge order',
    words: {},
    run: async (_, call) => {
      const radar = await (await open(call)).outside.radar({ everything: true })
      return { json: radar, text: radarText(radar) }
    },
    example: 'worktree radar --json',
  }),
  performs({
    path: 'worktree request',
    words: {
      name,
      target: option(
        '--target',
        'T',
        'Branch to integrate into (default: the target of the configuration, main)',
        text,
      ),
    },
    operation: requestIntegration,
    input: ({ name, target }) => ({ worktreeName: name, ...given('targetBranch', target) }),
    text: integrationLine,
    example: 'worktree request user-auth',
  }),
  does({
    path: 'worktree approve',
    summary: 'Approve and merge exactly the commits that are shown; requires a terminal and a typed answer',
    words: { name },
    grave: true,
    run: ({ name }, call) => approve(call, name),
    example: 'worktree approve user-auth',
  }),
  performs({
    path: 'worktree reject',
    words: { name, reason: needed('--reason', 'R', 'What must change', text) },
    operation: rejectIntegration,
    input: ({ name, reason }) => ({ worktreeName: name, reason }),
    text: integrationLine,
    example: "worktree reject user-auth --reason 'tests are missing'",
  }),
  does({
    path: 'worktree discard',
    summary:
      'Discard a worktree: stops its agents, cancels its unfinished tasks, archives its content; requires a terminal and a typed answer',
    words: {
      name,
      reason: needed('--reason', 'R', 'Reason', text),
      loseNothing: flag('--lose-nothing', 'Do not ask, but refuse if anything cannot be archived'),
    },
    grave: true,
    run: (words, call) => discard(call, words),
    example: "worktree discard user-auth --reason 'done differently'",
  }),
  does({
    path: 'worktree move',
    summary: 'Continue a worktree on another host, from its branch on the git remote; the old folder is archived',
    words: {
      name,
      host: needed('--host', 'H', 'Host that continues it; the one where it is undoes a move that has not ended', text),
    },
    run: (words, call) => move(call, words),
    example: 'worktree move user-auth --host build-2',
  }),
  does({
    path: 'worktree restore',
    summary: 'Restore an ended worktree from its archive: files, index, a merge in progress',
    words: {
      name,
      branch: option('--branch', 'B', 'Branch to check out, if its own branch is in use or has moved', text),
    },
    run: (words, call) => restore(call, words),
    example: 'worktree restore user-auth',
  }),
  does({
    path: 'worktree sweep',
    summary:
      'Delete folders of ended worktrees from the trash that are older than worktrees.retention; archives are kept',
    words: {},
    grave: true,
    run: (_, call) => sweep(call),
    example: 'worktree sweep',
  }),
]

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
