CREATE TABLE "service_days" (
	"day" date PRIMARY KEY NOT NULL,
	"sold" bigint DEFAULT 0 NOT NULL,
	"given_free" bigint DEFAULT 0 NOT NULL,
	"spent" bigint DEFAULT 0 NOT NULL,
	"charged" bigint DEFAULT 0 NOT NULL,
	"free" bigint DEFAULT 0 NOT NULL,
	"refused" bigint DEFAULT 0 NOT NULL,
	"failed" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service_folds" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"sequence" bigint NOT NULL,
	"version" bigint NOT NULL,
	"balance" bigint NOT NULL
);
--> statement-breakpoint
-- Calls of the days before are counted here once; a trigger counts those that come after. Nobody writes any in between.
LOCK TABLE "request_chunks" IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
INSERT INTO "service_days" ("day", "charged", "free", "refused", "failed")
SELECT "day", sum("charged"), sum("free"), sum("refused"), sum("failed")
  FROM (SELECT "day", "charged", "free", "refused", "failed" FROM "request_days"
         UNION ALL
        SELECT ("began_at" AT TIME ZONE 'UTC')::date, "charged", "free", "refused", "failed" FROM "request_chunks") "counted"
 GROUP BY "day";
