-- Sums without a place are made anew: the service folds them within minutes, and until then they are read from the entries.
DELETE FROM "ledger_days";--> statement-breakpoint
DELETE FROM "ledger_folds";--> statement-breakpoint
ALTER TABLE "ledger_days" ADD COLUMN "first_sequence" bigint NOT NULL;--> statement-breakpoint
ALTER TABLE "ledger_days" ADD COLUMN "last_sequence" bigint NOT NULL;
