/** The processor time of some work in milliseconds, independent of other load on the machine. */
export const processorTime = (work: () => void): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
