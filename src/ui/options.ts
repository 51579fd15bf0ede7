import type { ConsoleServices } from '../contracts/console.ts'
import type { Connection } from '../operations/perform/core.ts'

/** The console's dependencies from main.ts. */
export interface ConsoleOptions extends ConsoleServices {
  readonly connection: Connection
}
