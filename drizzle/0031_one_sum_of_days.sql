-- Sums of days have one position for each account, `ledger_folds`; those of all accounts had one of their own. Each `ALTER` waits
-- until nobody adds to that table, and the functions that did are gone afterwards.
ALTER TABLE "ledger_folds" DROP COLUMN "balance";--> statement-breakpoint
ALTER TABLE "service_days" DROP COLUMN "sold";--> statement-breakpoint
ALTER TABLE "service_days" DROP COLUMN "given_free";--> statement-breakpoint
DROP TABLE "service_folds";--> statement-breakpoint
UPDATE "service_days" SET "spent" = 0;--> statement-breakpoint
INSERT INTO "service_days" ("day", "spent") SELECT "day", sum("credits") FROM "ledger_days" GROUP BY "day"
ON CONFLICT ("day") DO UPDATE SET "spent" = excluded."spent";--> statement-breakpoint
DROP FUNCTION IF EXISTS ledger_fold(uuid[], integer, integer), ledger_unfolded(uuid, integer, integer), ledger_unfold(uuid[]),
	ledger_days_wrong(timestamptz, timestamptz), ledger_folds_wrong(), ledger_part_unfolded(text),
	service_fold(uuid[], integer), service_unfolded(uuid, integer), service_part_unfolded(text), service_days_again(),
	service_days_wrong(), service_days_counted(), service_days_since(), service_days_lock();
