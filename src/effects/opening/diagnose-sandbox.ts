import { isRefusal } from '../../domain/rules/refusal.ts'
import { allowing } from '../../domain/sandbox/hosts.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { someOf } from '../../domain/words/count.ts'
import type { SandboxSettings } from '../../domain/settings/sandbox-settings.ts'
import { confinementOf } from '../sandbox/confine.ts'
import { refusedHosts } from '../sandbox/network.ts'
import type { Diagnosis } from './diagnosis.ts'

/** Whether the kernel confines what aiswarm starts, or why not. */
export const diagnoseSandbox = async ({ mode }: SandboxSettings): Promise<Diagnosis> => {
  const name = 'sandbox'
  try {
    const found = await confinementOf(mode)
    if ('off' in found)
      return { name, ok: null, detail: `off, because ${found.off} (agents can do all that you can do)` }
    const { program, version } = found.bubblewrap
    return {
      name,
      ok: true,
      detail: `on (${mode}): bubblewrap ${version} at ${program} confines what the lines of the kinds below do not except`,
    }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { name, ok: false, detail: error.message }
  }
}

/** The hosts that programs inside asked for and that are still refused; undefined while the network is open. */
export const diagnoseNetwork = (root: string, { sandbox, agents }: Settings): Diagnosis | undefined => {
  const networks = [sandbox.network, ...Object.values(agents.personas).flatMap(({ network }) => network ?? [])]
  if (networks.every((one) => one === 'open')) return undefined
  const refused = [...refusedHosts(root)].filter(([name]) => {
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(name) ?? []
    return allowing({ host, port: Number(port) }, sandbox.hosts) === undefined
  })
  const words = refused.reverse().map(([name, who]) => `${name} (${who.join(', ')})`)
  return {
    name: 'network',
    ok: null,
    detail: `${[...new Set(networks)].join(', ')} in the sandbox${words.length === 0 ? '' : `; refused lately: ${someOf(words, 10)}`}`,
  }
}
