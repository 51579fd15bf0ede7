import { randomBytes } from 'node:crypto'
import { Refusal } from '../../domain/rules/refusal.ts'
import { git } from '../git/git.ts'
import { pushRef, type Remote } from './exchange.ts'

/** Pushes a ref of aiswarm and deletes it again: some forges refuse refs that are no branches. Refuses with the reason. */
export const probeRemote = async (remote: Remote): Promise<void> => {
  const oid = (await git(remote.root, ['rev-parse', 'HEAD'])).trim()
  const ref = `refs/aiswarm/probe/${randomBytes(6).toString('hex')}`
  const pushed = await pushRef(remote, { ref, oid, expected: null })
  if (pushed.kind !== 'pushed')
    throw new Refusal(
      'remote_unreachable',
      `The git remote ${remote.url} does not accept refs below refs/aiswarm/${pushed.kind === 'refused' ? `: ${pushed.problem}` : ''}. Allow them there, or use another remote.`,
    )
  await pushRef(remote, { ref, oid: null, expected: oid })
}
