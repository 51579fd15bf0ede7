import { spawnSync } from 'node:child_process'

/** Throws with a sentence if a program is missing: a proof that a machine cannot run fails there, and is not skipped. */
export const requirePrograms = (...names: readonly string[]): void => {
  const missing = names.filter(
    (name) => spawnSync('sh', ['-c', 'command -v -- "$1"', 'sh', name], { stdio: 'ignore' }).status !== 0,
  )
  if (missing.length > 0) throw new Error(`this machine has no ${missing.join(', no ')}. Install it to run this proof.`)
}
