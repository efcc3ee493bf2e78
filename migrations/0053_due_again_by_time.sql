-- Its place was taken by `jobs_due_again` (0051). Alone: see there.
DROP INDEX jobs_again;
