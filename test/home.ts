import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The home folder of everything that tests start: empty, so that no configuration of the machine takes part. */
export const testHome = join(tmpdir(), 'aiswarm-test-home')
