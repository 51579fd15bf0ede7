/** Milliseconds that some work keeps the processor busy for; whatever else the machine has to do does not count. */
export const processorTime = (work: () => void): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
