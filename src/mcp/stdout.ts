/**
 * Keeps standard output for the protocol alone, from the first byte: whatever else prints there, a dependency too, goes to
 * standard error. To be called before anything else is loaded; gives the real one.
 */
export const reserveStdout = (): NodeJS.WriteStream => {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  return Object.create(stdout, { write: { value: write } }) as NodeJS.WriteStream
}
