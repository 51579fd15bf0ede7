import { isRefusal } from '../../domain/rules/refusal.ts'
import type { SandboxSettings } from '../../domain/settings/sandbox-settings.ts'
import { confinementOf } from '../sandbox/confine.ts'
import type { Diagnosis } from './diagnosis.ts'

/** Whether the kernel confines what aiswarm starts, or why not. */
export const diagnoseSandbox = async ({ mode }: SandboxSettings): Promise<Diagnosis> => {
  const name = 'sandbox'
  try {
    const found = await confinementOf(mode)
    if ('off' in found) return { name, ok: null, detail: `off, because ${found.off}` }
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
