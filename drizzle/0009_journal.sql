CREATE TABLE "journal" (
	"change" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"who" text NOT NULL,
	"what" text NOT NULL,
	"kind" text,
	"id" uuid,
	"undoes" bigint,
	"undone_by" bigint
);
--> statement-breakpoint
CREATE TABLE "journal_entries" (
	"change" bigint NOT NULL,
	"sequence" bigserial NOT NULL,
	"table_name" text NOT NULL,
	"row_id" uuid NOT NULL,
	"record_id" uuid NOT NULL,
	"before" jsonb,
	CONSTRAINT "journal_entries_change_sequence_pk" PRIMARY KEY("change","sequence")
);
--> statement-breakpoint
CREATE TABLE "journal_created" (
	"change" bigint NOT NULL,
	"sequence" bigint DEFAULT nextval('journal_entries_sequence_seq') NOT NULL,
	"table_name" text NOT NULL,
	"row_ids" uuid[] NOT NULL,
	"record_ids" uuid[] NOT NULL,
	CONSTRAINT "journal_created_change_sequence_pk" PRIMARY KEY("change","sequence")
);
--> statement-breakpoint
CREATE INDEX "journal_age" ON "journal" USING btree ("at");--> statement-breakpoint
CREATE INDEX "journal_entries_record" ON "journal_entries" USING btree ("record_id");