/**
 * Reserves standard output for the protocol, from the first byte: any other output, also of dependencies, goes to
 * standard error. Must be called before any other module is loaded; returns the real stream.
 */
export const reserveStdout = (): NodeJS.WriteStream => {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  return Object.create(stdout, { write: { value: write } }) as NodeJS.WriteStream
}
