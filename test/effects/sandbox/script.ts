import { writeFileSync } from 'node:fs'

/** Writes an executable shell script. */
export const script = (path: string, text: string): void => writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
