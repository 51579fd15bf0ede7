import { isRefusal } from '../../../domain/rules/refusal.ts'
import { safeText } from '../../../domain/words/safe-text.ts'
import { restoreWorktree } from '../../../operations/worktrees/restore-worktree.ts'
import { act } from '../../../operations/door/perform.ts'
import { type Answer, type Call, given, open } from '../../call/command.ts'
import { refuseAgent } from '../../call/refuse-agent.ts'
import { counted } from '../../print/columns.ts'

/** Restores a worktree. The archive's ref is sufficient: a database that has lost the worktree gets its row back. */
export const restore = async (
  call: Call,
  { name, branch }: { name: string; branch: string | undefined },
): Promise<Answer> => {
  const connection = await open(call)
  const ask = () => act(connection, restoreWorktree, { worktreeName: name, ...given('branchName', branch) })
  const worktree = await ask().catch(async (error: unknown) => {
    if (!isRefusal(error) || error.code !== 'not_found' || !(await call.services.adoptArchive(connection, name)))
      throw error
    return ask()
  })
  return {
    json: worktree,
    text: safeText(`Worktree ${name} is restored in ${worktree.path}, on ${worktree.branchName}.`),
  }
}

/** Frees disk space: deletes old folders from the trash; the archives stay. */
export const sweep = async (call: Call): Promise<Answer> => {
  const connection = await open(call)
  refuseAgent(call, connection, 'empty the trash')
  const swept = await call.services.sweepTrash(connection)
  const kept = swept.kept.map(({ path, why }) => `${path} is kept: ${why}`)
  const removed =
    swept.removed.length === 0
      ? 'Nothing in the trash is old enough.'
      : `${counted(swept.removed.length, 'folder')} removed from the trash:`
  return { json: swept, text: [removed, ...swept.removed, ...kept].join('\n') }
}
