"""The evaluation of the reads: real media, the real service, independent judges, one table (docs/reads.md)."""
