import type { ConsoleServices } from '../contracts/console.ts'
import type { Connection } from '../operations/door/connection.ts'

/** The console's dependencies from main.ts. */
export interface ConsoleOptions extends ConsoleServices {
  readonly connection: Connection
}
