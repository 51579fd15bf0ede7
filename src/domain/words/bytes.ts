/** `12K`, `412M`, `3.1G`: a size in memory or on the disk. */
export const bytes = (n: number): string => {
  if (n >= 1024 ** 3) return `${(n / 1024 ** 3).toFixed(1)}G`
  return n >= 1024 ** 2 ? `${Math.round(n / 1024 ** 2)}M` : `${Math.round(n / 1024)}K`
}
