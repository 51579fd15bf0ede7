import { randomBytes } from 'node:crypto'
import { folderOn, type RefPlace, refPlaces } from '../../domain/host/remote.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { git } from '../git/git.ts'
import { listRemote, pushRef, type Remote, toCheck } from './remote.ts'

/** Where the remote takes the refs of aiswarm: some forges accept branches only. Refuses with the reason if nowhere. */
export const findRefPlace = async (remote: Remote): Promise<RefPlace> => {
  const problems: string[] = []
  for (const refs of refPlaces) {
    const problem = await problemOf({ ...remote, refs })
    if (problem === undefined) return refs
    problems.push(`below ${folderOn(refs)}: ${problem}`)
  }
  throw new Refusal(
    'remote_unreachable',
    `The git remote ${remote.url} does not accept the refs of aiswarm (${problems.join('; ')}). Allow them there, or use another remote.`,
  )
}

/** Refuses if the remote does not take them where it did when a person named it. */
export const probeRemote = async (remote: Remote): Promise<void> => {
  const problem = await problemOf(remote)
  if (problem === undefined) return
  throw new Refusal(
    'remote_unreachable',
    `The git remote ${remote.url} does not accept refs below ${folderOn(remote.refs ?? 'own')}: ${problem}. Allow them there, or name the remote again with 'aiswarm fleet remote ${remote.url}', which looks for another place.`,
  )
}

/** Pushes a ref of aiswarm, looks whether others can see it, and deletes it again. */
const problemOf = async (remote: Remote): Promise<string | undefined> => {
  const oid = (await git(remote.root, ['rev-parse', 'HEAD'])).trim()
  const ref = `refs/aiswarm/probe/${randomBytes(6).toString('hex')}`
  const pushed = await pushRef(remote, { ref, oid, expected: null })
  if (pushed.kind !== 'pushed') return pushed.kind === 'refused' ? pushed.problem : 'another program changes them'
  const seen = (await listRemote(remote, [ref])).has(ref)
  await pushRef(remote, { ref, oid: null, expected: oid })
  return seen ? undefined : 'it hides them'
}

/** Both: the first if it is not known where the remote takes them. */
export const tryRemote = async (remote: Remote): Promise<RefPlace> => {
  try {
    if (remote.refs === undefined) return await findRefPlace(remote)
    await probeRemote(remote)
    return remote.refs
  } catch (error) {
    throw toCheck(error)
  }
}
