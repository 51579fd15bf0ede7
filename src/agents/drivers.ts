import { AcpDriver } from './acp/driver.ts'
import { CodexDriver } from './codex/driver.ts'
import type { Drivers } from './kind/conversation.ts'

/** The protocols whose client runs in the relay. */
export const drivers: Drivers = { acp: () => new AcpDriver(), 'app-server': () => new CodexDriver() }
