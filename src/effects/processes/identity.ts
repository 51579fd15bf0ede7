import type { Liveness, ProcessIdentity } from '../../domain/agent/agent.ts'
import { type Place, type System, thisSystem } from './system.ts'

/** The identity of a running process; undefined if there is none, or it cannot be read. */
export const identify = (pid: number, system: System = thisSystem): ProcessIdentity | undefined => {
  const startedAt = system.startOf(pid)
  const here = system.place()
  return startedAt !== undefined && startedAt !== 'none' && here !== undefined
    ? { pid, startedAt, bootId: textOf(here) }
    : undefined
}

/**
 * The place in which this process's numbers are valid, as in `ProcessIdentity.bootId`; undefined if the boot is
 * unknown.
 */
export const placeHere = (system: System = thisSystem): string | undefined => {
  const here = system.place()
  return here && textOf(here)
}

/** False if a process number of that place is meaningless here: another host, or another pid namespace of this boot. */
export const countsHere = (bootId: string, system: System = thisSystem): boolean => {
  const [there, here] = [placeIn(bootId), system.place()]
  if (here === undefined || there.host === undefined) return true
  return there.host === here.host && (there.boot !== here.boot || there.namespace === here.namespace)
}

/** True if the process is one of this boot in another pid namespace, so that the kernel of this one runs it. */
export const isInNamespaceOfBoot = (bootId: string, system: System = thisSystem): boolean => {
  const [there, here] = [placeIn(bootId), system.place()]
  return here !== undefined && there.boot === here.boot && there.namespace !== undefined && !countsHere(bootId, system)
}

/**
 * Dead only on proof: no such process, a zombie, another start time, or an earlier boot of this host. Nothing can be
 * proven for a process of another host or another pid namespace (a container has the boot id of its host).
 */
export const livenessOf = (identity: ProcessIdentity, system: System = thisSystem): Liveness => {
  const here = system.place()
  if (here === undefined || !countsHere(identity.bootId, system)) return 'unknown'
  if (placeIn(identity.bootId).boot !== here.boot) return 'dead'
  const startedAt = system.startOf(identity.pid)
  if (startedAt === 'none') return 'dead'
  if (startedAt === undefined) return 'unknown'
  return startedAt === identity.startedAt ? 'alive' : 'dead'
}

const textOf = ({ boot, host, namespace }: Place): string => `${boot}@${host}#${namespace}`

/** An older aiswarm wrote the boot id alone. */
const placeIn = (bootId: string): { readonly boot: string } & Partial<Place> => {
  const [, boot = bootId, host, namespace] = /^([^@]*)@([^#]*)#(.*)$/.exec(bootId) ?? []
  return host === undefined || namespace === undefined ? { boot } : { boot, host, namespace }
}
