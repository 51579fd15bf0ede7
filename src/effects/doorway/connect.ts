import { connect, type Socket } from 'node:net'
import type { Caller } from '../../contracts/doorway.ts'

/** Opens a socket. Its path has at most 107 bytes, so this process goes to the folder for a moment; throws if there is none. */
export const connectIn = (folder: string, name: string): Socket => {
  const cwd = process.cwd()
  process.chdir(folder)
  try {
    return connect({ path: name, allowHalfOpen: true })
  } finally {
    process.chdir(cwd)
  }
}

/** The caller that the variables of this process name; undefined if they name none. */
export const callerHere = (): Caller | undefined => {
  const agentId = process.env['AISWARM_AGENT_ID'] ?? ''
  return agentId === '' ? undefined : { agentId, token: process.env['AISWARM_AGENT_TOKEN'] ?? '' }
}
