import fc from 'fast-check'

// A new board takes a hundred times as long on a server as in a copied file, so properties run less often there, and a
// counterexample is not made smaller, which would take more boards than a test has time for.
fc.configureGlobal({ numRuns: 10, endOnFailure: true })
