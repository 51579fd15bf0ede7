import type { Unconfined } from '../../domain/sandbox/unconfined.ts'
import type { Core } from '../../operations/perform/core.ts'
import { confinementOf } from './confine.ts'
import { machine } from './machine.ts'

/** How often a machine that confines nothing is tried again (ms): a person may install what is missing. */
const AGAIN = 60_000

/** Why nothing is confined now, as far as it is known; null if programs are, or if that was not tried yet. */
export const makeStanding = (core: Pick<Core, 'settings'>): (() => Unconfined | null) => {
  const standing = makeTriedStanding(core)
  return () => standing() ?? null
}

/** The same; undefined if it was not tried yet. */
export const makeTriedStanding = ({ settings }: Pick<Core, 'settings'>): (() => Unconfined | null | undefined) => {
  let standing: Unconfined | null | undefined
  let askedAt = -Infinity
  return () => {
    if (performance.now() - askedAt >= AGAIN) {
      askedAt = performance.now()
      void standingOf(settings).then(
        (found) => (standing = found),
        () => {},
      )
    }
    return standing
  }
}

/** A persona that is confined nevertheless makes the sentence untrue. */
export const standingOf = async ({ sandbox, agents }: Core['settings']): Promise<Unconfined | null> => {
  if (sandbox.mode === 'off' && Object.values(agents.personas).some((one) => (one.sandbox ?? 'off') !== 'off'))
    return null
  if (sandbox.mode === 'required') {
    const found = await machine()
    return 'why' in found ? { why: found.why, chosen: false, refused: true } : null
  }
  const found = await confinementOf(sandbox.mode)
  return 'off' in found ? { why: found.off, chosen: found.chosen } : null
}
