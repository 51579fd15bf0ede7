/** `12K`, `412M`, `3.1G`: an amount of memory or of disk space. */
export const bytes = (n: number): string => {
  if (n >= 1024 ** 3) return `${(n / 1024 ** 3).toFixed(1)}G`
  return n >= 1024 ** 2 ? `${Math.round(n / 1024 ** 2)}M` : `${Math.round(n / 1024)}K`
}
