CREATE TABLE "contact_notes" (
	"account_id" uuid NOT NULL,
	"person_id" uuid NOT NULL,
	"note" text NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "contact_notes_account_id_person_id_pk" PRIMARY KEY("account_id","person_id")
);
--> statement-breakpoint
CREATE TABLE "list_entries" (
	"list_id" uuid NOT NULL,
	"record_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"added_at" timestamp with time zone NOT NULL,
	CONSTRAINT "list_entries_list_id_record_id_pk" PRIMARY KEY("list_id","record_id"),
	CONSTRAINT "list_entries_kind" CHECK ("list_entries"."kind" in ('person', 'company'))
);
--> statement-breakpoint
CREATE TABLE "record_lists" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account_id" uuid NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "list_entries" ADD CONSTRAINT "list_entries_list_id_record_lists_id_fk" FOREIGN KEY ("list_id") REFERENCES "public"."record_lists"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "contact_notes_person" ON "contact_notes" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "list_entries_record" ON "list_entries" USING btree ("record_id");--> statement-breakpoint
CREATE UNIQUE INDEX "record_lists_name" ON "record_lists" USING btree ("account_id",lower("name"));