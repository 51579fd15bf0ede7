import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../swarm.ts'

/** Everything of a repository that no import may change, by its bytes: all but its objects, and what belongs to the worktree `auth`. */
export const stateOf = (root: string): unknown => ({
  refs: git(root, 'for-each-ref', '--format=%(refname) %(objectname) %(symref)').replace(
    /^refs\/(?:aiswarm\/(?:base|kept)|heads\/feature\/auth).*$\n?/gm,
    '',
  ),
  files: readdirSync(join(root, '.git'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !OWN.test(path))
    .sort()
    .map((path) => `${path} ${readFileSync(path, 'base64')}`),
})

const OWN =
  /\/objects\/|\/(?:refs|logs\/refs)\/(?:aiswarm|heads\/feature\/auth)|\/worktrees\/auth\/index(?:\.aiswarm-\d+)?$/
